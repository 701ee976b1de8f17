// @ts-check

// Taken once: a test that replaces Date must not move the service with it.
const hostNow = Date.now;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The time as the service sees it: the host's, plus an offset that a test may change. */
class Clock {
	/** @param {number} offsetMs */
	constructor(offsetMs) {
		this.offsetMs = offsetMs;
	}

	/** @returns {number} epoch milliseconds */
	now() {
		return hostNow() + this.offsetMs;
	}

	/** @param {number} ms */
	advance(ms) {
		this.offsetMs += ms;
	}
}

/**
 * @param {number} epochMs
 * @returns {string} `2006-01-02T15:04:05Z`
 */
function isoSeconds(epochMs) {
	return new Date(epochMs).toISOString().slice(0, 19) + 'Z';
}

/**
 * @param {number} epochMs
 * @returns {string} `2006-01-02T15:04Z`
 */
function isoMinutes(epochMs) {
	return new Date(epochMs).toISOString().slice(0, 16) + 'Z';
}

module.exports = { Clock, SECOND, MINUTE, HOUR, DAY, isoSeconds, isoMinutes };
