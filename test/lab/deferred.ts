/** A promise that others settle. */
export interface Deferred<T> {
	promise: Promise<T>;
	resolve: (value: T) => void;
	reject: (error: Error) => void;
}

/** As n8n's helper of this name. */
export function createDeferredPromise<T>(): Deferred<T> {
	let settle: Pick<Deferred<T>, 'resolve' | 'reject'> | undefined;
	const promise = new Promise<T>((resolve, reject) => {
		settle = { resolve, reject };
	});
	return {
		promise,
		resolve: (value) => settle?.resolve(value),
		reject: (error) => settle?.reject(error),
	};
}
