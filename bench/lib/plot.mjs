// @ts-check
// Vega is published as ES modules alone, which the compiled cases cannot load.
import { parse, View } from 'vega';
import { compile } from 'vega-lite';

const COLOURS = ['#2563eb', '#d97706', '#7c8594'];

/**
 * Draws a plot as SVG.
 *
 * @param {import('./result.js').Plot} plot
 * @returns {Promise<string>}
 */
export async function draw({ points, x, y }) {
	const { spec } = compile({
		width: 560,
		height: 260,
		data: { values: points },
		mark: { type: 'line', point: { size: 50 }, strokeWidth: 2 },
		encoding: {
			x: quantity('x', x),
			y: quantity('y', y),
			color: {
				field: 'series',
				type: 'nominal',
				sort: null,
				scale: { range: COLOURS },
				legend: { title: null, orient: 'top', labelLimit: 0 },
			},
		},
		config: { font: 'sans-serif', view: { stroke: null } },
	});
	return await new View(parse(spec), { renderer: 'none' }).toSVG();
}

/**
 * @param {'x' | 'y'} field
 * @param {import('./result.js').Axis} axis
 */
const quantity = (field, { title, scale = 'linear' }) => ({
	field,
	type: /** @type {const} */ ('quantitative'),
	title,
	scale: { type: scale, nice: scale === 'linear' },
});
