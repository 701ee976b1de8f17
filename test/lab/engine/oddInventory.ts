import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Server, ServerResponse } from 'node:http';

import { jest } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { AgentInventoryApi } from '../../../credentials/AgentInventoryApi.credentials';
import { EVERYTHING_BUT_DATE } from './bench';
import { CredentialsTable } from './credentials';

export const ODD_AGENCY = '5f0c2a11-9d64-4b7e-8a35-0d1e2f3a4b5c';

/** A property as this service has it. */
export interface OddProperty {
	id: string;
	/** Null for one that does not say. */
	createdAt: number | null;
	/** Null for one that was never modified. */
	modifiedAt: number | null;
	values: IDataObject;
	/** Replaces what its row, and its record, say. */
	row?: IDataObject;
	record?: IDataObject;
}

/** An answer in place of the usual one. */
export interface OddAnswer {
	status?: number;
	headers?: Record<string, string>;
	/** As text it is sent as it is. */
	body?: unknown;
	/** Breaks off after so many bytes. */
	cutAfter?: number;
}

export interface OddRequest {
	path: string;
	query: URLSearchParams;
	agencyRef: string;
}

/**
 * An inventory that was written from the contract alone, for what the sandbox does not do: every part of an answer may be
 * another one. Its clock, like that of the host, stands still until a test moves it.
 */
export class OddInventory {
	readonly requests: OddRequest[] = [];

	readonly agencies = new Map<string, Map<string, OddProperty>>();

	/** By how much the service’s clock is ahead (ms). */
	aheadMs = 0;

	mostOnPage = 250;

	/** The parameters that it overlooks. */
	readonly overlooked = new Set<string>();

	/** Called for each request, before it is answered. */
	answer: (request: OddRequest) => OddAnswer | undefined | Promise<OddAnswer | undefined> = () =>
		undefined;

	private server?: Server;

	static async start(now: number): Promise<OddInventory> {
		const service = new OddInventory();
		service.setClock(now);
		const server = createServer((request, response) => {
			const url = new URL(request.url ?? '/', 'http://127.0.0.1');
			request.resume();
			void service.reply(url, String(request.headers.agencyref ?? ''), response);
		});
		service.server = server;
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return service;
	}

	async stop(): Promise<void> {
		const { server } = this;
		server?.closeAllConnections();
		await new Promise((resolve) => server?.close(resolve));
		jest.useRealTimers();
	}

	get now(): number {
		return Date.now() + this.aheadMs;
	}

	setClock(now: number): void {
		jest.useFakeTimers({ now, doNotFake: [...EVERYTHING_BUT_DATE] });
	}

	pass(ms: number): void {
		jest.setSystemTime(Date.now() + ms);
	}

	/** A credential for it. */
	readonly credentials = new CredentialsTable([new AgentInventoryApi()], { credential: {} });

	connect(): this {
		const { port } = this.server?.address() as AddressInfo;
		const base = `http://127.0.0.1:${port}`;
		this.credentials.rows.credential = {
			clientId: 'client',
			clientSecret: 'not-to-be-shown',
			tokenUrl: `${base}/token`,
			inventoryUrl: base,
			agencyRef: ODD_AGENCY,
		};
		return this;
	}

	of(agencyRef = ODD_AGENCY): Map<string, OddProperty> {
		const known = this.agencies.get(agencyRef) ?? new Map<string, OddProperty>();
		this.agencies.set(agencyRef, known);
		return known;
	}

	/** @param isModified whether it was modified, rather than only created */
	put(
		id: string,
		values: IDataObject,
		{ agencyRef = ODD_AGENCY, agoMs = 0, isModified = true } = {},
	): OddProperty {
		const known = this.of(agencyRef).get(id);
		const time = this.now - agoMs;
		const property: OddProperty = {
			id,
			createdAt: time,
			...known,
			modifiedAt: isModified ? time : null,
			values: { archived: false, inventoryStatus: 'Available', ...known?.values, ...values },
		};
		this.of(agencyRef).set(id, property);
		return property;
	}

	private async reply(url: URL, agencyRef: string, response: ServerResponse): Promise<void> {
		const request = { path: url.pathname, query: url.searchParams, agencyRef };
		if (url.pathname === '/token') {
			const body = { access_token: 'token', token_type: 'Bearer', expires_in: 10_000_000 };
			return this.send(response, { body });
		}
		this.requests.push(request);
		const odd = await this.answer(request);
		this.send(response, { body: odd?.body ?? this.usual(request), ...odd });
	}

	private send(
		response: ServerResponse,
		{ status = 200, headers, body, cutAfter }: OddAnswer,
	): void {
		const text = typeof body === 'string' ? body : JSON.stringify(body);
		response.writeHead(status, {
			'Content-Type': 'application/json',
			Date: new Date(this.now).toUTCString(),
			'Content-Length': Buffer.byteLength(text),
			...headers,
		});
		if (cutAfter === undefined) response.end(text);
		else response.write(text.slice(0, cutAfter), () => response.destroy());
	}

	private usual({ path, query, agencyRef }: OddRequest): IDataObject {
		const properties = this.of(agencyRef);
		if (path === '/inventory/filter') return this.rows([...properties.values()], query);
		if (path === '/inventory/items') {
			const items = query.getAll('inventory-id').flatMap((id) => {
				const property = properties.get(id);
				return property ? [recordOf(property)] : [];
			});
			return { totalCount: items.length, items };
		}
		const property = properties.get(decodeURIComponent(path.slice('/inventory/'.length)));
		return property ? recordOf(property) : { title: 'Not found', status: 404 };
	}

	private rows(all: OddProperty[], query: URLSearchParams): IDataObject {
		const asked = (name: string) => (this.overlooked.has(name) ? null : query.get(name));
		const archived = asked('archived');
		const isWithin = (name: string, time: number | null) => {
			const [from, to] = [asked(`${name}-from`), asked(`${name}-to`)];
			const isFrom = !from || (time !== null && time >= Date.parse(from));
			return isFrom && (!to || (time !== null && time <= Date.parse(to)));
		};
		const found = all
			.filter(({ values }) => archived === null || JSON.stringify(values.archived) === archived)
			.filter(({ modifiedAt }) => isWithin('modified', modifiedAt))
			.filter(({ createdAt }) => isWithin('created', createdAt));
		const start = Number(asked('next-token') ?? 0);
		const end = start + Math.min(this.mostOnPage, Number(query.get('max-results') ?? 50));
		const nextToken = end < found.length ? String(end) : null;
		return { meta: { nextToken }, items: found.slice(start, end).map(rowOf) };
	}
}

function rowOf({ id, createdAt, modifiedAt, values, row }: OddProperty): IDataObject {
	const { archived, inventoryStatus: status } = values;
	const times = { createdAt: timeText(createdAt), modifiedAt: timeText(modifiedAt) };
	return { inventoryId: id, branchId: '101', ...times, archived, status, ...row };
}

function recordOf({ id, createdAt, modifiedAt, values, record }: OddProperty): IDataObject {
	const times = { createdDate: timeText(createdAt), modifiedDate: timeText(modifiedAt) };
	return {
		id,
		branchId: '101',
		category: 'Residential',
		recordType: 'Sale',
		...times,
		...values,
		...record,
	};
}

function timeText(time: number | null): string | null {
	return time === null ? null : `${new Date(time).toISOString().slice(0, 19)}Z`;
}
