/** Addresses of this computer, and those that stand for them on the pictures. */
export class Aliases {
	/** @param pairs what is shown, and the address that answers instead */
	constructor(private readonly pairs: ReadonlyArray<readonly [shown: string, local: string]>) {}

	toShown(text: string): string {
		return this.pairs.reduce((each, [shown, local]) => each.replaceAll(local, shown), text);
	}

	toLocal(text: string): string {
		return this.pairs.reduce((each, [shown, local]) => each.replaceAll(shown, local), text);
	}
}
