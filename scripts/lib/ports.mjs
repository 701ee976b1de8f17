// @ts-check
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The port that was asked for, or a free one when it is taken.
 * @param {number} preferred
 */
export async function portOrFree(preferred) {
	return (await canListen(preferred)) ?? (await canListen(0)) ?? preferred;
}

/**
 * @param {number} port 0: any
 * @returns {Promise<number | undefined>}
 */
async function canListen(port) {
	const server = createServer();
	server.listen(port, '127.0.0.1');
	try {
		await once(server, 'listening');
	} catch {
		return undefined;
	}
	const address = server.address();
	server.close();
	await once(server, 'close');
	return typeof address === 'object' ? address?.port : undefined;
}
