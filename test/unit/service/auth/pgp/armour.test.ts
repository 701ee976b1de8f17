import { describe, expect, it } from '@jest/globals';

import { isArmoured, readArmour } from '../../../../../service/auth/pgp/armour';

describe('a megabyte of anything', () => {
	const first = '-----BEGIN PGP MESSAGE-----\n\n';
	const last = '\n-----END PGP MESSAGE-----';

	it.each<[string, string, string, string, unknown]>([
		['dashes', '', '-', '', 'nothing'],
		['spaces', '', ' ', '', 'nothing'],
		['line breaks', 'x', '\n', 'x', 'nothing'],
		['backslashes', '', '\\', '', 'nothing'],
		['dashes and spaces', '', '-- -  ', '', 'nothing'],
		['tags that do not end', first, '<a', last, 'damaged'],
		['entities that do not end', '', '&#1', '', 'nothing'],
		['spaces where PGP should be', 'BEGIN', ' ', '', 'nothing'],
		['spaces within a first line', 'BEGIN PGP PRIVATE', ' ', 'KEY', 'nothing'],
		['first lines', '', 'BEGIN PGP MESSAGE ', '', 'cutOff'],
		['base64 that ends otherwise', first, 'AAAA', `!${last}`, 'damaged'],
		['padding', first, '=', `!${last}`, 'damaged'],
		['padding here and there', first, 'A=', `A${last}`, 'damaged'],
		['beginnings of packets', first, 'hQEM', `\n=AAAA${last}`, 'damaged'],
		['packets with another checksum', first, 'wQED', `\n1QEA\n=AAAA${last}`, 'damaged'],
		['blocks', '', `${first}${'wQED'.repeat(250)}\n=AAAA${last}`, '', 'damaged'],
	])('is told from armour: %s', (_, before, part, after, trouble) => {
		const text = before + part.repeat(1_000_000 / part.length) + after;

		expect(readArmour(text, 'message')).toEqual({ trouble });
		expect(isArmoured(text)).toBe(text.includes('PGP'));
	});
});
