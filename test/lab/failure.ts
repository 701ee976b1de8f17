/**
 * A failure that its message explains: whoever runs a command needs no stack. The scripts, which
 * are not compiled with this, know it by its name.
 */
export class Failure extends Error {
	override readonly name = 'Failure';
}
