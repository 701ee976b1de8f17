import { request } from 'undici';

type Method = 'GET' | 'PATCH' | 'POST';

/** One request on a connection of its own: n8n is killed and restarted under the tests, and a kept connection would fail. */
export async function send(
	url: string,
	method: Method = 'GET',
	json?: unknown,
	headers: Record<string, string> = {},
) {
	const hasBody = json !== undefined;
	const answer = await request(url, {
		method,
		headers: { ...headers, ...(hasBody && { 'content-type': 'application/json' }) },
		...(hasBody && { body: JSON.stringify(json) }),
		reset: true,
		headersTimeout: 0,
		bodyTimeout: 0,
	});
	return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

interface Settings {
	versionCli: string;
	/** Whether triggers start after the answer to an activation, by a service of their own. */
	useWorkflowPublicationService?: boolean;
	userManagement: { showSetupOnFirstLoad: boolean };
}

export const OWNER = {
	email: 'owner@example.com',
	password: 'Leads4Breakfast',
	firstName: 'Olive',
	lastName: 'Owner',
};

/** n8n's REST API as its editor uses it: a session cookie, answers wrapped in `data`. */
export class Rest {
	private cookie = '';

	constructor(private readonly baseUrl: string) {}

	/**
	 * Creates the owner on a new instance, and logs in on one that has an owner.
	 *
	 * @returns what n8n tells the editor of itself
	 */
	async logIn(): Promise<Settings> {
		const { userManagement } = await this.get<Settings>('/rest/settings');
		const { email: emailOrLdapLoginId, password } = OWNER;
		if (userManagement.showSetupOnFirstLoad) await this.post('/rest/owner/setup', OWNER);
		else await this.post('/rest/login', { emailOrLdapLoginId, password });
		// Until somebody is logged in, n8n leaves out its version.
		return await this.get<Settings>('/rest/settings');
	}

	async get<T>(path: string): Promise<T> {
		return dataOf<T>(await this.call('GET', path));
	}

	async post<T>(path: string, body: unknown = {}): Promise<T> {
		return dataOf<T>(await this.call('POST', path, body));
	}

	async patch<T>(path: string, body: unknown): Promise<T> {
		return dataOf<T>(await this.call('PATCH', path, body));
	}

	/** @returns the text of the answer */
	async call(method: Method, path: string, body?: unknown): Promise<string> {
		const answer = await send(`${this.baseUrl}${path}`, method, body, { cookie: this.cookie });
		if (answer.status >= 300)
			throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
		const cookies = [answer.headers['set-cookie'] ?? []].flat();
		const session = cookies.find((cookie) => cookie.startsWith('n8n-auth='));
		if (session) this.cookie = session.slice(0, session.indexOf(';'));
		return answer.text;
	}
}

function dataOf<T>(text: string): T {
	return (JSON.parse(text) as { data: T }).data;
}
