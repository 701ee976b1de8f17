import { describe, expect, it } from '@jest/globals';

import { plainText } from '../../../../../../nodes/common/leads/simplified/plainText';
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
		[
			'<style>p > a { x }</style><script>if (a < b) x("</p>")</script><title>T</title>Hello',
			'Hello',
		],
		['<!-- a > b --><!DOCTYPE html><?xml version="1.0"?>Hello', 'Hello'],
		['<!--[if gte mso 9]><xml><o:AllowPNG/></xml><![endif]--><p>May I view?</p>', 'May I view?'],
		['<!--[if !mso]><!-->View<!--<![endif]--><![if !vml]> it<![endif]>', 'View it'],
		['<xml><w:Zoom>0</w:Zoom></xml>Hello<o:p></o:p>', 'Hello'],
		['<p>Is it free?</p><!-- <p>offer 10% less</p> --><p>Thanks</p>', 'Is it free?\n\nThanks'],
		['<a href="https://x.example" title="over > 3 beds">link</a> Is it free?', 'link Is it free?'],
		['<main>Is it <mark>free</mark>?</main>', 'Is it free?'],
		['<input disabled><input type="checkbox" checked>Yes<td nowrap>1</td>', 'Yes 1'],
		['<p><![CDATA[raw & co <b>]]></p>', 'raw & co <b>'],
		['Zo&euml; Ren&eacute;e, 80 m&sup2;, &frac12; mile', 'Zoë Renée, 80 m², ½ mile'],
		['&#128;450, it&#146;s &#xD800; &#1114112;', '€450, it’s \ufffd \ufffd'],
		['\u00a0\u200b&nbsp;Hi &zwj;\ufeff', 'Hi'],
		[42, '42'],
		[null, ''],
		['&pound;300k &amp; a garden&nbsp;&ndash; isn&#39;t it&#x3f;', "£300k & a garden – isn't it?"],
		['&lt;b&gt;', '<b>'],
		['&amp;lt;', '&lt;'],
		['tea\tor\u00a0coffee\u0000\u0007', 'tea or coffee'],
		['One\vTwo\fThree\u2028Four', 'One\nTwo\nThree\nFour'],
		['One&#13;Two&#xD;&#xA;Three', 'One\nTwo\nThree'],
		['', ''],
	])('of %p is %p', (typed, plain) => {
		expect(plainText(typed)).toBe(plain);
	});

	it.each([
		'under <300k> or so',
		'price <300k & garden >20m',
		'a <b and c> d',
		'I am <Robin>, or <robin@example.com>',
		'<everyone> <!everyone>',
		'<b is not closed, <title> neither, <!-- nor is this',
		'<https://example.com/a> I <3 it, a < b <?php ?>',
		'R&D; &unknown; &constructor; &#0x; & AT&T https://x.example/?a=1&copy=2',
	])('keeps what is none: %s', (typed) => {
		expect(plainText(typed)).toBe(typed);
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
				const plain = plainText(parts.flat().join(''));

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

	it('takes a time that grows with the length alone', () => {
		const units = [
			'<a b="',
			`<a b='"`,
			'<a\t',
			'<style>',
			'<div>',
			'<!--',
			'<![CDATA[',
			'&#',
			'</',
		];

		for (const unit of units)
			expect(plainText(unit.repeat(20_000)).length).toBeGreaterThanOrEqual(0);
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
				const plain = plainText(pieces.join(''));

				expect(plain).not.toMatch(/[^\S \n]| {2}|^\s|\s$|\n{3}| \n|\n |\u0000/);
				if (!/[<&]/.test(plain)) expect(plainText(plain)).toBe(plain);
			}),
		);
	});
});
