// @ts-check
// For n8n's Node, by --require: its time runs as many milliseconds off the computer's as the environment says.
const shift = Number(process.env.TIME_SHIFT_MS);
const computersNow = Date.now;
Date.now = () => computersNow() + shift;

globalThis.Date = new Proxy(Date, {
	construct: (target, args, newTarget) =>
		Reflect.construct(target, args.length === 0 ? [target.now()] : args, newTarget),
	apply: (target) => new target(target.now()).toString(),
});
