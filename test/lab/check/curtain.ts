/** What a secret becomes in a line. */
const HIDDEN = '…';

/** Hides what must never be seen, in whatever spelling it comes back. */
export class Curtain {
	private readonly hidden = new Set<string>();

	/** The shortest texts are left: they would take words out of the lines, and nobody has such a secret. */
	hide(...secrets: string[]): void {
		for (const secret of secrets.filter((each) => each.length > 3)) {
			for (const spelling of spellings(secret)) this.hidden.add(spelling);
		}
	}

	before(line: string): string {
		const longestFirst = [...this.hidden].sort((a, b) => b.length - a.length);
		return longestFirst.reduce((text, secret) => text.replaceAll(secret, HIDDEN), line);
	}
}

function spellings(secret: string): string[] {
	const encoded = encodeURIComponent(secret);
	return [
		secret,
		encoded,
		encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
		JSON.stringify(secret).slice(1, -1),
		Buffer.from(secret).toString('base64'),
	];
}
