import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe } from '@jest/globals';

import { unreadableMessage } from '../../../../service/auth/pgp/problems';
import type { ServiceError } from '../../../../service/failure';
import { Gpg } from '../../../lab/gpg';
import { holdsMessages, leads } from '../../../lab/engine/messages';

describe('messages about an encrypted secret', () => {
	const PASSPHRASE = 'Türm & "Kette" 7';
	let gpg: Gpg;
	let keys: Record<'agency' | 'other' | 'public', string>;

	beforeAll(async () => {
		// gpg's own count protects an exported key a hundred times as well, and as slowly.
		gpg = await Gpg.create(['s2k-count 650000']);
		const make = async (name: string, passphrase: string) =>
			await gpg.makeKey(`${name}@example.com`, passphrase, 'future-default');
		const agency = await make('agency', PASSPHRASE);
		const other = await make('other', PASSPHRASE);
		keys = {
			agency: await gpg.exportPrivate([agency], PASSPHRASE),
			other: await gpg.exportPrivate([other], PASSPHRASE),
			public: await gpg.exportPublic(agency),
		};
	}, 60_000);

	afterAll(async () => {
		await gpg.remove();
	});

	interface Pasted {
		message?: string | Promise<string>;
		key?: string;
		passphrase?: string;
	}

	/** Has the secret come as a message, with what `paste` says in place of what is right. */
	const encrypted = (paste: (message: string) => Pasted) =>
		leads({}, async ({ sandbox, clientId, stored }) => {
			const { clientSecret } = sandbox.clients.get(clientId);
			const right = await gpg.encrypt(clientSecret, 'agency@example.com');
			const { message = right, key = keys.agency, passphrase = PASSPHRASE } = paste(right);
			Object.assign(stored, {
				secretFormat: 'pgp',
				encryptedSecret: await message,
				privateKey: key,
				passphrase,
			});
		});

	const bytesOf = async (bytes: number[]) => {
		const file = join(gpg.home, 'bytes');
		await writeFile(file, Buffer.from(bytes));
		const args = ['--recipient', 'agency@example.com', '--output', '-', '--encrypt', file];
		return String(await gpg.run(['--armor', ...args]));
	};

	const secretOf = (text: string) => gpg.encrypt(text, 'agency@example.com');

	/** Each is made by hand, byte for byte, in test/unit/service/auth/pgp/decryption.test.ts. */
	const rare =
		({ message, helpCode }: ServiceError) =>
		async () =>
			await Promise.resolve({ message, code: helpCode });

	holdsMessages([
		[
			'“Client Secret” contains an OpenPGP block …',
			leads({}, async ({ stored }) =>
				Object.assign(stored, { clientSecret: await secretOf('secret') }),
			),
		],
		['“…” does not contain a whole OpenPGP …', encrypted(() => ({ message: 'secret' }))],
		['“…” does not contain a whole OpenPGP …', encrypted(() => ({ key: 'key' }))],
		['The key in “Private Key” does not match …', encrypted(() => ({ key: keys.other }))],
		['“Passphrase” does not open the key …', encrypted(() => ({ passphrase: 'wrong' }))],
		[
			'The message in “Encrypted Secret” …',
			encrypted(() => ({
				message: gpg
					.run(['--armor', '--symmetric'], { input: 'secret', passphrase: PASSPHRASE })
					.then(String),
			})),
		],
		['The message in “Encrypted Secret” …', rare(unreadableMessage())],
		['The decrypted “Encrypted Secret” …', encrypted(() => ({ message: bytesOf([0xc3, 0x28]) }))],
		[
			'The decrypted “Encrypted Secret” …',
			encrypted(() => ({ message: secretOf('secret\nexpires 2026') })),
		],
		['The decrypted “Encrypted Secret” …', encrypted(() => ({ message: secretOf('\n') }))],
	]);
});
