// @ts-check
// Loaded into an n8n that is to be profiled: SIGUSR2 starts a CPU profile, and once more ends and writes it.
const { renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');

const path = String(process.env.BENCH_PROFILE);
const session = new Session();
let startedAt = 0;

process.on('SIGUSR2', () => {
	if (startedAt === 0) begin();
	else
		session.post('Profiler.stop', (_error, { profile }) => write('ended', { startedAt, profile }));
});

function begin() {
	session.connect();
	session.post('Profiler.enable');
	session.post('Profiler.setSamplingInterval', { interval: 500 });
	session.post('Profiler.start', () => {
		startedAt = Date.now();
		write('begun', { startedAt });
	});
}

/**
 * Whoever waits for the file never sees half of it.
 *
 * @param {string} name
 * @param {object} content
 */
function write(name, content) {
	writeFileSync(`${path}.part`, JSON.stringify(content));
	renameSync(`${path}.part`, `${path}.${name}`);
}
