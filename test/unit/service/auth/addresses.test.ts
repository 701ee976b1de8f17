import { describe, expect, it } from '@jest/globals';

import {
	addressAsEntered,
	baseAddress,
	tokenUrlBelowAuthUrl,
} from '../../../../service/auth/addresses';

const PATH = /\/things\/(new|old)\/*$/;

const NO_ADDRESS = [
	'api.example.com',
	'ftp://api.example.com',
	'httpss://api.example.com',
	'xhttps://api.example.com',
	'https://',
	'https://api.example.com/a b',
	'https://user@api.example.com',
	'https://:password@api.example.com',
	'https://api.example.com/#part',
];

describe('a base address', () => {
	it.each([
		['https://api.example.com', 'https://api.example.com'],
		['http://localhost:5678', 'http://localhost:5678'],
		['https://api.example.com/v1', 'https://api.example.com/v1'],
		['https://api.example.com///', 'https://api.example.com'],
		['https://api.example.com//v1/', 'https://api.example.com//v1'],
		[' https://api.example.com\n', 'https://api.example.com'],
		['https://api.example.com/v1/things/new', 'https://api.example.com/v1'],
		['https://api.example.com/things/old//', 'https://api.example.com'],
		['https://api.example.com/things/newer', 'https://api.example.com/things/newer'],
		['https://api.example.com/things', 'https://api.example.com/things'],
	])('of %j is %j', (leadsUrl, address) => {
		expect(baseAddress({ leadsUrl }, 'leadsUrl', PATH)).toBe(address);
	});

	it.each([...NO_ADDRESS, 'https://api.example.com/?page=1'])('cannot be %j', (leadsUrl) => {
		expect(() => baseAddress({ leadsUrl }, 'leadsUrl', PATH)).toThrow(
			expect.objectContaining({
				kind: 'credential',
				message:
					'“Leads URL” in the credential is not a web address: it must start with https:// or http:// and contain no space, user name or “#”, and no “?” except in Token URL',
			}),
		);
	});

	it.each(['', ' \n', true])('cannot be %j, which is empty', (leadsUrl) => {
		expect(() => baseAddress({ leadsUrl }, 'leadsUrl', PATH)).toThrow(
			expect.objectContaining({
				kind: 'credential',
				message: '“Leads URL” is empty in the credential',
				details: {},
			}),
		);
	});
});

describe('an address to the letter', () => {
	it.each([
		['https://api.example.com/', 'https://api.example.com/'],
		['https://API.example.com/v1//', 'https://API.example.com/v1//'],
		['https://api.example.com/v1/things/new/', 'https://api.example.com/v1'],
	])('of %j is %j', (leadsUrl, address) => {
		expect(addressAsEntered({ leadsUrl }, 'leadsUrl', PATH)).toBe(address);
	});
});

describe('the token endpoint below the Auth URL', () => {
	it.each([
		'https://auth.example.com/eu',
		'https://auth.example.com/eu/',
		'https://auth.example.com/eu/oauth2/token',
		'https://auth.example.com/eu/oauth2/token/',
	])('is the same for %j', (authUrl) => {
		expect(tokenUrlBelowAuthUrl({ authUrl })).toBe('https://auth.example.com/eu/oauth2/token');
	});

	it('has nothing cut out of the midst of the address', () => {
		expect(tokenUrlBelowAuthUrl({ authUrl: 'https://auth.example.com/oauth2/token/eu' })).toBe(
			'https://auth.example.com/oauth2/token/eu/oauth2/token',
		);
	});

	it('names its field if that is empty', () => {
		expect(() => tokenUrlBelowAuthUrl({})).toThrow('“Auth URL” is empty in the credential');
	});
});

describe('the token endpoint as the operator named it', () => {
	it.each([
		'https://auth.example.com/token',
		'https://auth.example.com/token/',
		'http://auth.example.com/token?tenant=1',
	])('may be %j, which stays as it is', (tokenUrl) => {
		expect(addressAsEntered({ tokenUrl }, 'tokenUrl')).toBe(tokenUrl);
	});
});
