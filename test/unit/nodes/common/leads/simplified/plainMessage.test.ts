import { describe, expect, it } from '@jest/globals';

import { plainMessage } from '../../../../../../nodes/common/leads/simplified/plainMessage';
import fc from '../../../../../lab/properties';

describe('the message without markup', () => {
	it.each([
		['Is it still there?', 'Is it still there?'],
		['One.\r\n\r\n\r\nTwo.\rThree.', 'One.\n\nTwo.\nThree.'],
		['  <p>One</p><p class="x">Two <b>bold</b></p>  ', 'One\n\nTwo bold'],
		['One<br>Two<BR/>Three<br />\nFour', 'One\nTwo\nThree\nFour'],
		['<ul><li>One</li>\n<li>Two</li></ul>', 'One\n\nTwo'],
		['<table><tr><td>Rooms</td><td>2</td></tr></table>', 'Rooms 2'],
		['<a href="https://www.example.com/?a=1&amp;b=2">Look</a> here', 'Look here'],
		['<style>p { color: red }</style><script>x()</script>Hello', 'Hello'],
		['<!-- a comment --><!DOCTYPE html>Hello', 'Hello'],
		['&pound;300k &amp; a garden&nbsp;&ndash; isn&#39;t it&#x3f;', "£300k & a garden – isn't it?"],
		['&lt;b&gt;', '<b>'],
		['&amp;lt;', '&lt;'],
		['tea\tor\u00a0coffee\u0000\u0007', 'tea or coffee'],
		['One\vTwo\fThree\u2028Four', 'One\nTwo\nThree\nFour'],
		['One&#13;Two&#xD;&#xA;Three', 'One\nTwo\nThree'],
		['', ''],
	])('of %p is %p', (typed, plain) => {
		expect(plainMessage(typed)).toBe(plain);
	});

	it.each([
		'under <300k> or so',
		'price <300k & garden >20m',
		'a <b and c> d',
		'I am <Robin>, or <robin@example.com>',
		'<everyone> <!everyone>',
		'<b is not closed',
		'R&D; &unknown; &constructor; &#0x; &#1114112; &#xD800; &',
	])('keeps what is none: %s', (typed) => {
		expect(plainMessage(typed)).toBe(typed);
	});

	it('keeps every word, in its order, whatever stands around it', () => {
		const word = fc.stringMatching(/^[a-zA-Z0-9£é🏠.,?!]{1,8}$/u);
		const around = fc.constantFrom(
			...[
				' ',
				'\n',
				'\r\n',
				'<br>',
				'</p>\n<p>',
				' <b>',
				'</b> ',
				'\t',
				'&nbsp;',
				' <p style="x"> ',
			],
		);

		fc.assert(
			fc.property(fc.array(fc.tuple(word, around)), (parts) => {
				const plain = plainMessage(parts.flat().join(''));

				const isInline = /<\/?b>/g;
				expect(plain.split(/\s+/).filter(Boolean)).toEqual(
					parts
						.flat()
						.join('')
						.replace(isInline, '')
						.split(/<[^>]*>|&nbsp;|\s+/)
						.filter(Boolean),
				);
			}),
		);
	});

	it('is tidy, and the same if it is made plain twice unless it spells markup', () => {
		const piece = fc.constantFrom(
			' ',
			'\n',
			'\r',
			'\t',
			'<p>',
			'</b>',
			'<',
			'>',
			'&',
			'a',
			'\u0000',
		);

		fc.assert(
			fc.property(fc.array(piece), (pieces) => {
				const plain = plainMessage(pieces.join(''));

				expect(plain).not.toMatch(/[^\S \n]| {2}|^\s|\s$|\n{3}| \n|\n |\u0000/);
				if (!/[<&]/.test(plain)) expect(plainMessage(plain)).toBe(plain);
			}),
		);
	});
});
