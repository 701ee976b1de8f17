import { crc32 } from 'node:zlib';

import UPNG from 'upng-js';

/** The most that a picture with a palette can have. */
const COLOURS = 256;

/** A picture of a moving one, and how long it is shown. */
export interface Frame {
	png: Buffer;
	milliseconds: number;
}

/** The same picture with a palette, which takes a third of the bytes. */
export function withPalette(png: Buffer): Buffer {
	const { width, height, pixels } = decode(png);
	return Buffer.from(UPNG.encode([pixels], width, height, COLOURS));
}

/** A picture that moves once and then stays at its last frame. All frames have the same size. */
export function moving(frames: Frame[]): Buffer {
	const decoded = frames.map(({ png }) => decode(png));
	const [{ width, height } = { width: 0, height: 0 }] = decoded;
	const pixels = decoded.map((each) => each.pixels);
	const delays = frames.map(({ milliseconds }) => milliseconds);
	return playedOnce(Buffer.from(UPNG.encode(pixels, width, height, COLOURS, delays)));
}

function decode(png: Buffer) {
	const image = UPNG.decode(Uint8Array.from(png).buffer);
	const [pixels = new ArrayBuffer(0)] = UPNG.toRGBA8(image);
	return { width: image.width, height: image.height, pixels };
}

/** The encoder writes that the picture is to be repeated for ever. */
function playedOnce(png: Buffer): Buffer {
	const chunk = png.indexOf('acTL');
	png.writeUInt32BE(1, chunk + 8);
	png.writeUInt32BE(crc32(png.subarray(chunk, chunk + 12)), chunk + 12);
	return png;
}
