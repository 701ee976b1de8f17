import get from 'lodash/get';
import { DateTime } from 'luxon';

import type { Schema } from '../../conformance/schemas';
import { isRecord } from '../../values';
import type { Random } from '../random';
import { chance, integer, pick } from '../random';
import type { Wildness } from './reply';
import { LISTS } from './reply';

/** A value with its place in an answer. */
interface Place {
	holder: object;
	key: string;
	value: unknown;
	schema: Schema;
	types: unknown[];
	/** The names from the top of its record. */
	names: string[];
	isRequired: boolean;
	/** Whether a client knows records, pages and results by it: only wildness that is named after such a field changes it. */
	isKept: boolean;
}

type Kind = [fits: (place: Place) => boolean, change: (place: Place, random: Random) => unknown];

const KEPT = [
	...['id', 'inventoryId', 'listingId', 'createdAt', 'expiryAt', 'startAt', 'status'],
	...['highlights', 'customDetails', 'meta'],
];

const ODD_TEXTS = [
	...['<b>bold</b>\r\n<script>x()</script>', 'é ü ß 漢 🏠 \u202e', 'null', '{{ $json.id }}'],
	...['\u0000\u0007', ' ', 'x'.repeat(2000), '__proto__'],
];

const put = ({ holder, key }: Place, value: unknown) => Reflect.set(holder, key, value);

const remove = ({ holder, key }: Place) => Reflect.deleteProperty(holder, key);

const KINDS: Record<string, Kind> = {
	missingFields: [
		({ isRequired, isKept, holder }) => !isRequired && !isKept && !Array.isArray(holder),
		remove,
	],
	nulls: [
		({ types, value, isKept }) => types.includes('null') && value !== null && !isKept,
		(place) => put(place, null),
	],
	unknownFields: [
		({ value, schema, names }) =>
			isRecord(value) && schema.additionalProperties === undefined && names[0] !== 'customDetails',
		({ value }, random) => isRecord(value) && Object.assign(value, extraMember(random)),
	],
	unknownValues: [
		({ schema, value, isKept }) =>
			schema['x-open'] === true && !isKept && typeof value === 'string',
		(place, random) => {
			const { 'x-prefix': prefix } = place.schema;
			put(place, `${typeof prefix === 'string' ? prefix : ''}NEW_${integer(random, 1, 99)}`);
		},
	],
	timeForms: [
		isTime,
		(place, random) =>
			put(place, otherForm(String(place.value), random, place.schema.format === undefined)),
	],
	unsetTimes: [
		(place) => isTime(place) && place.schema.format === undefined,
		(place) => put(place, '0001-01-01T00:00Z'),
	],
	emptyTexts: [isText, (place) => put(place, '')],
	oddTexts: [isText, (place, random) => put(place, pick(random, ODD_TEXTS))],
	emptyLists: [({ value, isKept }) => Array.isArray(value) && !isKept, (place) => put(place, [])],
	oddNumbers: [
		({ value, isKept, schema: { minimum, maximum, enum: values } }) =>
			typeof value === 'number' && !isKept && (minimum ?? maximum ?? values) === undefined,
		(place, random) => put(place, pick(random, [0, -1, 2_147_483_647])),
	],
	noId: [
		({ names, value, schema, isRequired }) =>
			/^(id|inventoryId)$/.test(names.join()) &&
			typeof value === 'string' &&
			schema.format === undefined &&
			!isRequired,
		(place, random) =>
			pick(random, [
				() => put(place, ''),
				() => put(place, place.types.includes('null') ? null : ''),
				() => remove(place),
			])(),
	],
};

/** Wildness of single values, all of which the contract allows: each changes some of the values that fit. */
export const VALUE_WILDNESS: Wildness[] = Object.entries(KINDS).map(([name, [fits, change]]) => ({
	name,
	apply(reply, { route: { operation }, random }) {
		const media = operation?.responses[reply.status]?.content?.['application/json'];
		const fitting = media ? [...places(media.schema, reply.value)].filter(fits) : [];
		if (fitting.length === 0) return undefined;
		const share = pick(random, [0.05, 0.3, 1]);
		const sure = pick(random, fitting);
		for (const place of fitting) {
			if (place === sure || chance(random, share)) change(place, random);
		}
		return reply;
	},
}));

/** @returns everything below a value that the schema describes, innermost first */
function* places(schema: Schema, value: unknown, above: string[] = []): Generator<Place> {
	if (typeof value !== 'object' || value === null) return;
	const holder = value;
	const { items, properties, required } = formOf(schema, holder);
	for (const [key, child] of Object.entries(holder) as Array<[string, unknown]>) {
		const described: unknown = Array.isArray(holder) ? items : get(properties, [key]);
		if (!isRecord(described)) continue;
		const form = formOf(described, child);
		const isPartOfRecord = !Array.isArray(holder) && !LISTS.includes(key);
		const names = isPartOfRecord ? [...above, key] : above;
		yield* places(form, child, names);
		const isRequired = Array.isArray(required) && required.includes(key);
		const isKept = names[0] === undefined || KEPT.includes(names[0]);
		const types = [form.type].flat();
		yield { holder, key, value: child, schema: form, types, names, isRequired, isKept };
	}
}

/** @returns the form that the value has, if the schema allows several */
function formOf(schema: Schema, value: unknown): Schema {
	const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
	const forms = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isRecord) : [];
	return forms.find((form) => form.type === type) ?? schema;
}

function isText({ value, isKept, schema: { format, pattern, enum: values } }: Place): boolean {
	return typeof value === 'string' && !format && !pattern && !values && !isKept;
}

function isTime({ value, schema }: Place): boolean {
	if (typeof value !== 'string' || Number.isNaN(Date.parse(value))) return false;
	return schema.format === 'date-time' || typeof schema.pattern === 'string';
}

/** The same time in another form, perhaps cut down to its minute. */
function otherForm(time: string, random: Random, takesMinutes: boolean): string {
	const utc = DateTime.fromISO(time, { zone: 'utc' });
	const there = utc.setZone(`UTC${pick(random, ['-11', '-3', '+1', '+13'])}`);
	const fraction = `.${integer(random, 1, 9)}${pick(random, ['', '00', '12345', '00000001'])}`;
	const forms = [
		there.toFormat("yyyy-MM-dd'T'HH:mm:ssZZ"),
		there.toFormat(`yyyy-MM-dd'T'HH:mm:ss'${fraction}'ZZ`),
		utc.toFormat(`yyyy-MM-dd'T'HH:mm:ss'${fraction}Z'`),
	];
	if (takesMinutes) forms.push(there.toFormat("yyyy-MM-dd'T'HH:mmZZ"));
	return pick(random, forms);
}

function extraMember(random: Random) {
	const name = pick(random, ['newField', 'constructor', 'leadType', 'error', 'x-new', 'toString']);
	const value = pick(random, ['new', 7, null, true, [], {}, [{ deep: [null] }]]);
	return { [`${name}${integer(random, 0, 9)}`]: value };
}
