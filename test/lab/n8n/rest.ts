import { send, type Method } from '../send';

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
		return await this.data<T>('GET', path);
	}

	async post<T>(path: string, body: unknown = {}): Promise<T> {
		return await this.data<T>('POST', path, body);
	}

	async patch<T>(path: string, body: unknown): Promise<T> {
		return await this.data<T>('PATCH', path, body);
	}

	/** @returns the text of the answer */
	async call(method: Method, path: string, body?: unknown): Promise<string> {
		const answer = await send(`${this.baseUrl}${path}`, method, body, { cookie: this.cookie });
		if (answer.status >= 300)
			throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
		const [session] = /n8n-auth=[^;]*/.exec(String(answer.headers['set-cookie'])) ?? [];
		if (session) this.cookie = session;
		return answer.text;
	}

	private async data<T>(...call: Parameters<Rest['call']>): Promise<T> {
		return (JSON.parse(await this.call(...call)) as { data: T }).data;
	}
}
