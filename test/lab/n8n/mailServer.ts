import type { AddressInfo } from 'node:net';

import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export interface Mail extends ParsedMail {
	/** Whom the mail server was told to deliver it to. */
	recipients: string[];
}

/** A mail server that wants a login and keeps what it is given. */
export class MailServer {
	static readonly USER = 'leads@example.com';
	static readonly PASSWORD = 'Mail4Breakfast';

	readonly mails: Mail[] = [];
	/** Decides whether a recipient is taken; all are until a test says otherwise. */
	accepts: (recipient: string) => boolean = () => true;
	private readonly server: SMTPServer;

	private constructor() {
		this.server = new SMTPServer({
			disabledCommands: ['STARTTLS'],
			allowInsecureAuth: true,
			disableReverseLookup: true,
			onAuth: ({ username, password }, _session, done) => {
				const known = username === MailServer.USER && password === MailServer.PASSWORD;
				done(known ? null : new Error('Wrong login'), { user: username });
			},
			onRcptTo: ({ address }, _session, done) => {
				done(this.accepts(address) ? null : new Error('Mailbox is not available'));
			},
			onData: (stream, { envelope }, done) => {
				simpleParser(stream).then(
					(mail) => {
						const recipients = envelope.rcptTo.map(({ address }) => address);
						this.mails.push({ ...mail, recipients });
						done();
					},
					(error: Error) => done(error),
				);
			},
		});
	}

	static async start(): Promise<MailServer> {
		const mailServer = new MailServer();
		await new Promise<void>((resolve) => mailServer.server.listen(0, '127.0.0.1', resolve));
		return mailServer;
	}

	/** What n8n's SMTP credential needs. */
	get credential() {
		const { port } = this.server.server.address() as AddressInfo;
		const { USER: user, PASSWORD: password } = MailServer;
		return { user, password, host: '127.0.0.1', port, secure: false, disableStartTls: true };
	}

	async stop(): Promise<void> {
		await new Promise<void>((resolve) => this.server.close(resolve));
	}
}
