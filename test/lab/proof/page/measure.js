// @ts-check
// Runs inside the page, by the browser's own measures.

/**
 * The texts below an element that a person cannot read to the end: clipped by something around them, or longer than the
 * field they stand in. What can be scrolled to is not cut off. Waits until nothing moves any more.
 * @param {string} selector
 * @returns {Promise<string[]>}
 */
async function cutOff(selector) {
	const root = document.querySelector(selector);
	if (!root) throw new Error(`There is no ${selector}`);
	await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
	const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
	const found = [];
	while (texts.nextNode()) {
		if (isClipped(texts.currentNode, root)) found.push(texts.currentNode.textContent ?? '');
	}
	for (const field of root.querySelectorAll('input')) {
		if (isTooLong(field)) found.push(textIn(field));
	}
	return found.map((text) => text.trim()).filter((text) => text !== '');
}

/**
 * @param {Node} text
 * @param {Element} root
 */
function isClipped(text, root) {
	/** @type {Element | null} */
	const parent = text.parentElement;
	if (!parent?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
	const range = document.createRange();
	range.selectNodeContents(text);
	const box = range.getBoundingClientRect();
	for (let around = parent; ; around = around.parentElement ?? root) {
		if (clips(around, box)) return true;
		if (around === root) return false;
	}
}

/**
 * @param {Element} around
 * @param {DOMRect} text
 */
function clips(around, text) {
	const { overflowX, overflowY, display } = getComputedStyle(around);
	if (display.startsWith('inline') && display !== 'inline-block') return false;
	const box = around.getBoundingClientRect();
	const isTooWide = text.left < box.left - 1 || text.right > box.right + 1;
	const isTooHigh = text.top < box.top - 1 || text.bottom > box.bottom + 1;
	return (isTooWide && hides(overflowX)) || (isTooHigh && hides(overflowY));
}

/** @param {string} overflow */
function hides(overflow) {
	return overflow === 'hidden' || overflow === 'clip';
}

/** @param {HTMLInputElement} field */
function isTooLong(field) {
	if (field.clientWidth === 0) return false;
	const { font, paddingLeft, paddingRight } = getComputedStyle(field);
	const context = document.createElement('canvas').getContext('2d');
	if (!context) throw new Error('The browser cannot measure text');
	context.font = font;
	const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
	return context.measureText(textIn(field)).width > room + 1;
}

/** @param {HTMLInputElement} field */
function textIn(field) {
	return field.value || field.placeholder;
}

/**
 * How wide the picture of an icon is by itself, once it is there: 0 when it did not load.
 * @param {string} selector
 * @returns {Promise<{ src: string, width: number }>}
 */
async function shownIcon(selector) {
	const icon = document.querySelector(selector);
	if (!(icon instanceof HTMLImageElement)) throw new Error(`There is no icon at ${selector}`);
	await icon.decode().catch(() => undefined);
	return { src: icon.src, width: icon.naturalWidth };
}
