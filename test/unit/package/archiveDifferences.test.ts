import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { archiveDifferences } from '../../../scripts/lib/archiveDifferences';

const FILES = { 'package.json': '{}\n', 'dist/lib/index.js': 'one\ntwo\n' };

describe('the differences of two packages', () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'archives-'));
	});

	afterEach(() => rmSync(folder, { recursive: true }));

	function archive(files: Record<string, string>, mode = 0o644): Buffer {
		const names = Object.keys(files);
		for (const [name, text] of Object.entries(files)) {
			mkdirSync(dirname(join(folder, name)), { recursive: true });
			writeFileSync(join(folder, name), text);
			chmodSync(join(folder, name), mode);
		}
		const options = ['--format=ustar', '--mtime=1985-10-26', '--owner=0', '--group=0'];
		return gzipSync(execFileSync('tar', [...options, '-C', folder, '-c', ...names]));
	}

	it('are none if they are the same', () => {
		expect(archiveDifferences(archive(FILES), archive(FILES))).toEqual([]);
	});

	it('say where a file differs', () => {
		const published = archive({ ...FILES, 'dist/lib/index.js': 'one\ntoo\n!' });

		expect(archiveDifferences(published, archive(FILES))).toEqual([
			'dist/lib/index.js: 9 bytes published, 8 built; from byte 5, line 2, on: "oo\\n!", not "wo\\n"',
		]);
	});

	it('say where a file ends too soon', () => {
		const published = archive({ ...FILES, 'dist/lib/index.js': 'one\n' });

		expect(archiveDifferences(published, archive(FILES))).toEqual([
			'dist/lib/index.js: 4 bytes published, 8 built; from byte 4, line 2, on: "", not "two\\n"',
		]);
	});

	it('name a file that only one of them has', () => {
		const more = archive({ ...FILES, 'dist/more.js': '' });

		expect(archiveDifferences(more, archive(FILES))).toEqual([
			'dist/more.js: only in the published package',
		]);
		expect(archiveDifferences(archive(FILES), more)).toEqual([
			'dist/more.js: missing in the published package',
		]);
	});

	it('name permissions', () => {
		expect(archiveDifferences(archive(FILES, 0o755), archive(FILES))).toHaveLength(2);
	});

	it('tell a file that comes twice, the last of which would be installed', () => {
		const tar = gunzipSync(archive({ 'package.json': FILES['package.json'] }));
		const twice = gzipSync(Buffer.concat([tar.subarray(0, 1024), gunzipSync(archive(FILES))]));

		expect(archiveDifferences(twice, archive(FILES))).toEqual([
			'package.json: more than once in an archive',
		]);
	});

	it('tell files from what is around them', () => {
		const published = archive(FILES);
		const packedAnew = gzipSync(gunzipSync(published), { level: 0 });

		expect(archiveDifferences(packedAnew, published)).toEqual([
			'All files are the same: only the compression or the padding of the archive differs.',
		]);
		expect(
			archiveDifferences(archive(Object.fromEntries(Object.entries(FILES).reverse())), published),
		).toEqual(['All files are the same, in another order.']);
	});
});
