import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/** Where mail programs log in, with whatever name and password. It keeps what it is given. */
export class MailServer {
	/** Each mail, and whom it is to be delivered to. */
	readonly mails: Array<ParsedMail & { recipients: string[] }> = [];
	/** Decides whether a recipient is taken; all are until a test says otherwise. */
	accepts: (recipient: string) => boolean = () => true;
	private readonly server = new SMTPServer({
		disabledCommands: ['STARTTLS'],
		allowInsecureAuth: true,
		disableReverseLookup: true,
		onAuth: ({ username }, _, done) => done(null, { user: username }),
		onRcptTo: ({ address }, _, done) =>
			done(this.accepts(address) ? null : new Error('Mailbox is not available')),
		onData: (stream, { envelope }, done) => {
			const recipients = envelope.rcptTo.map(({ address }) => address);
			simpleParser(stream)
				.then((mail) => void this.mails.push({ ...mail, recipients }))
				.then(() => done(), done);
		},
	});

	static async start(): Promise<MailServer> {
		const mailServer = new MailServer();
		await once(mailServer.server.listen(0, '127.0.0.1'), 'listening');
		return mailServer;
	}

	/** What n8n's SMTP credential needs. */
	get credential() {
		const { port } = this.server.server.address() as AddressInfo;
		const login = { user: 'leads@example.com', password: 'Mail4Breakfast' };
		return { ...login, host: '127.0.0.1', port, secure: false, disableStartTls: true };
	}

	async stop(): Promise<void> {
		await new Promise<void>((resolve) => this.server.close(resolve));
	}
}
