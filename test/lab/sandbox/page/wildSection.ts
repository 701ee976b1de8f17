import type { Sandbox } from '../index';
import { SAID, choice, live, table } from './html';

/** @returns the switch of the wild mode */
export function wildSection({ wild }: Sandbox): string {
	const { isOn, settings = {}, counts } = wild.status();
	const { seed = 1, rate = 0.3, strength = 'misbehaving' } = settings;
	const state = isOn ? `On: ${strength}, seed ${seed}, ${rate} of all requests.` : 'Off.';
	return `${live('wild-state', `<p class="state">${state}</p>`)}
<p>Sends unusual answers. “allowed” sends those that the service’s contract permits, “misbehaving” also those of networks and proxies that fail.</p>
<form id="wild-form">
<label>Seed <input name="seed" type="number" value="${seed}"></label>
<label>Share of requests <input name="rate" type="number" min="0" max="1" step="0.05" value="${rate}"></label>
<label>Strength ${choice('strength', ['misbehaving', 'allowed'], strength)}</label>
<span class="buttons"><button>Switch on</button>
<button type="button" class="act" data-method="DELETE" data-name="wild">Switch off</button></span>
${SAID}
</form>
${live('wild-counts', table(Object.entries(counts).map(([name, count]) => [name, String(count)])))}`;
}
