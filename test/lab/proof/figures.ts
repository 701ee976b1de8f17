/** Tells a measured figure to whoever reads the output of the proofs. */
export function figure(text: string): void {
	process.stderr.write(`measured: ${text}\n`);
}
