import { send } from './http';

export interface Owner {
	email: string;
	password: string;
	firstName: string;
	lastName: string;
}

interface Settings {
	versionCli: string;
	/** Whether triggers start after the answer to an activation, by a service of their own. */
	useWorkflowPublicationService?: boolean;
	userManagement: { showSetupOnFirstLoad: boolean };
}

/** n8n's REST API as its editor uses it: a session cookie, answers wrapped in `data`. */
export class Rest {
	private cookie = '';
	private settings: Settings | undefined;

	constructor(private readonly baseUrl: string) {}

	/** What n8n tells the editor of itself. */
	get n8n(): Settings {
		if (!this.settings) throw new Error('Not logged in');
		return this.settings;
	}

	/** Creates the owner on a new instance, and logs in on one that has an owner. */
	async logIn(owner: Owner): Promise<void> {
		const settings = await this.get<Settings>('/rest/settings');
		if (settings.userManagement.showSetupOnFirstLoad) await this.post('/rest/owner/setup', owner);
		else
			await this.post('/rest/login', {
				emailOrLdapLoginId: owner.email,
				password: owner.password,
			});
		// n8n tells the rest only to whoever is logged in.
		this.settings = await this.get<Settings>('/rest/settings');
	}

	async get<T>(path: string): Promise<T> {
		return await this.call<T>('GET', path);
	}

	async post<T>(path: string, body: unknown = {}): Promise<T> {
		return await this.call<T>('POST', path, body);
	}

	async patch<T>(path: string, body: unknown): Promise<T> {
		return await this.call<T>('PATCH', path, body);
	}

	async delete<T>(path: string): Promise<T> {
		return await this.call<T>('DELETE', path);
	}

	/** A file that the editor loads, such as the list of node types: not wrapped. */
	async file<T>(path: string): Promise<T> {
		return JSON.parse(await this.text('GET', path)) as T;
	}

	private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
		return (JSON.parse(await this.text(method, path, body)) as { data: T }).data;
	}

	private async text(method: string, path: string, body?: unknown): Promise<string> {
		const headers = this.cookie ? { cookie: this.cookie } : undefined;
		const answer = await send(`${this.baseUrl}${path}`, { method, headers, body });
		if (answer.status >= 300)
			throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
		const cookies = answer.headers['set-cookie'] ?? [];
		const session = [cookies].flat().find((cookie) => cookie.startsWith('n8n-auth='));
		if (session) this.cookie = session.slice(0, session.indexOf(';'));
		return answer.text;
	}
}
