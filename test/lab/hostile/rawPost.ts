import { connect } from 'node:net';

/** A request byte by byte: HTTP libraries send nothing so wrong. */
export interface RawRequest {
	method: string;
	/** The path and the query. */
	target: string;
	headers: Array<[string, string]>;
	body: Buffer;
	/** The connection breaks after so many bytes of the body. */
	cutAfter?: number;
}

/** What came back; status 0: nothing. */
export interface RawAnswer {
	status: number;
	/** Its head and its body. */
	text: string;
	/** From the first byte sent to the last one received. */
	ms: number;
}

const LONGEST_MS = 30_000;

/** Sends it on a connection of its own. Never rejects. */
export async function sendRaw(url: string, request: RawRequest): Promise<RawAnswer> {
	const { hostname, port, host } = new URL(url);
	const { method, target, headers, body, cutAfter } = request;
	const lines = [
		`${method} ${target} HTTP/1.1`,
		`Host: ${host}`,
		'Connection: close',
		...headers.map(([name, value]) => `${name}: ${value}`),
	];
	const startedAt = performance.now();
	return await new Promise((resolve) => {
		const socket = connect(Number(port), hostname);
		const pieces: Buffer[] = [];
		socket.setTimeout(LONGEST_MS, () => socket.destroy());
		socket.on('data', (piece) => pieces.push(piece));
		// Who answers early may not take the rest.
		socket.on('error', () => undefined);
		socket.on('close', () => {
			const text = Buffer.concat(pieces).toString('latin1');
			const [, status = '0'] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
			resolve({ status: Number(status), text, ms: performance.now() - startedAt });
		});
		socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
		if (cutAfter === undefined) socket.write(body);
		else socket.write(body.subarray(0, cutAfter), () => socket.destroy());
	});
}
