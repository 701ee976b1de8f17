import { DateTime } from 'luxon';

import { resolved } from '../../conformance/operations';
import type { Api } from '../../conformance/schemas';
import { isRecord } from '../../values';
import type { Random } from '../random';
import { chance, integer, pick } from '../random';
import type { Reply, Situation, Wildness } from './reply';
import { LISTS } from './reply';

type Fields = Record<string, unknown>;

/** A value with its place in an answer. */
interface Place {
	holder: Fields | unknown[];
	key: string | number;
	value: unknown;
	/** Of the value, references followed. */
	schema: Fields;
	/** From the top of the answer. */
	path: Array<string | number>;
	isRequired: boolean;
}

/** The fields by which a client knows records, pages and results. Only wildness that is named after them changes them. */
const KEPT = [
	...['id', 'inventoryId', 'listingId', 'createdAt', 'expiryAt', 'startAt', 'status'],
	...['highlights', 'customDetails', 'totalCount'],
];
const UNSET_TIME = '0001-01-01T00:00Z';

const ODD_TEXTS = [
	...['<b>bold</b>\r\n<script>x()</script>', 'é ü ß 漢 🏠 \u202e', 'null', '{{ $json.id }}'],
	...['\u0000\u0007', ' ', 'x'.repeat(2000), '__proto__'],
];

/** Wildness of single values, all of which the contract allows. */
export const VALUE_WILDNESS: Wildness[] = [
	ofValues(
		'missingFields',
		(place) => !place.isRequired && !isKept(place) && isRecord(place.holder),
		({ holder, key }) => void Reflect.deleteProperty(holder, key),
	),
	ofValues(
		'nulls',
		(place) => hasType(place.schema, 'null') && place.value !== null && !isKept(place),
		(place) => put(place, null),
	),
	ofValues(
		'unknownFields',
		(place) =>
			isRecord(place.value) &&
			place.schema.additionalProperties === undefined &&
			inRecord(place)[0] !== 'customDetails',
		({ value }, random) => void (isRecord(value) && Object.assign(value, extraMember(random))),
	),
	ofValues(
		'unknownValues',
		(place) => place.schema['x-open'] === true && !isKept(place) && typeof place.value === 'string',
		(place, random) => {
			const { 'x-prefix': known } = place.schema;
			put(place, `${typeof known === 'string' ? known : ''}NEW_${integer(random, 1, 99)}`);
		},
	),
	ofValues('timeForms', isTime, (place, random) => {
		put(place, otherForm(String(place.value), random, place.schema.format === undefined));
	}),
	ofValues(
		'unsetTimes',
		(place) => isTime(place) && place.schema.format === undefined,
		(place) => put(place, UNSET_TIME),
	),
	ofValues('emptyTexts', isText, (place) => put(place, '')),
	ofValues('oddTexts', isText, (place, random) => put(place, pick(random, ODD_TEXTS))),
	ofValues(
		'emptyLists',
		(place) => Array.isArray(place.value) && place.value.length > 0 && !isKept(place),
		(place) => put(place, []),
	),
	ofValues(
		'oddNumbers',
		(place) => typeof place.value === 'number' && !isKept(place) && hasNoBounds(place),
		(place, random) => put(place, pick(random, [0, -1, 2_147_483_647])),
	),
	ofValues(
		'noId',
		(place) => isIdOfRecord(place) && !place.isRequired,
		(place, random) => {
			const way = pick(random, ['', hasType(place.schema, 'null') ? null : '', undefined]);
			if (way === undefined) Reflect.deleteProperty(place.holder, place.key);
			else put(place, way);
		},
	),
];

/** A wildness that changes some of the values that fit. */
function ofValues(
	name: string,
	fits: (place: Place) => boolean,
	change: (place: Place, random: Random) => void,
): Wildness {
	return {
		name,
		apply(reply, situation) {
			const { random } = situation;
			const fitting = placesIn(reply, situation).filter(fits);
			if (fitting.length === 0) return undefined;
			const share = pick(random, [0.05, 0.3, 1]);
			const sure = pick(random, fitting);
			for (const place of fitting) {
				if (place === sure || chance(random, share)) change(place, random);
			}
			return reply;
		},
	};
}

/** @returns everything in the answer that the contract describes */
function placesIn({ status, value }: Reply, { route: { api, operation } }: Situation): Place[] {
	const media = operation?.answers.get(status)?.content?.['application/json'];
	if (api === undefined || !isRecord(media)) return [];
	return [...places(api, resolved(api, media.schema), value)];
}

/** @returns everything below a value that the schema describes, innermost first */
function* places(
	api: Api,
	schema: Fields,
	value: unknown,
	path: Place['path'] = [],
): Generator<Place> {
	const fitting = alternative(api, schema, value);
	for (const [key, child, childSchema] of children(fitting, value)) {
		const described = alternative(api, childSchema, child);
		const childPath = [...path, key];
		yield* places(api, described, child, childPath);
		const { required } = fitting;
		const isRequired = Array.isArray(required) && required.includes(key);
		const holder = Array.isArray(value) || isRecord(value) ? value : [];
		yield { holder, key, value: child, schema: described, path: childPath, isRequired };
	}
}

function children(
	{ items, properties }: Fields,
	value: unknown,
): Array<[string | number, unknown, unknown]> {
	if (Array.isArray(value)) return value.map((child, index) => [index, child, items]);
	if (!isRecord(value) || !isRecord(properties)) return [];
	return Object.entries(properties)
		.filter(([name]) => name in value)
		.map(([name, schema]) => [name, value[name], schema]);
}

/** @returns the form that the value has, if the schema allows several */
function alternative(api: Api, schema: unknown, value: unknown): Fields {
	const whole = resolved(api, schema);
	if (!Array.isArray(whole.anyOf)) return whole;
	const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
	const forms = whole.anyOf.map((form) => resolved(api, form));
	return forms.find((form) => form.type === type) ?? whole;
}

/** @returns the path from the top of the record */
function inRecord({ path }: Place): Place['path'] {
	const below = LISTS.includes(String(path[0])) ? path.slice(1) : path;
	return typeof below[0] === 'number' ? below.slice(1) : below;
}

function isKept(place: Place): boolean {
	const [first, ...rest] = inRecord(place);
	if (first === undefined || LISTS.includes(String(first)) || place.path[0] === 'meta') return true;
	return KEPT.includes(String(first)) && (rest.length === 0 || first !== 'createdAt');
}

function hasType({ type }: Fields, name: string): boolean {
	return Array.isArray(type) ? type.includes(name) : type === name;
}

function isText(place: Place): boolean {
	const { format, pattern, enum: values } = place.schema;
	return typeof place.value === 'string' && !format && !pattern && !values && !isKept(place);
}

function isTime({ value, schema }: Place): boolean {
	if (typeof value !== 'string' || Number.isNaN(Date.parse(value))) return false;
	return schema.format === 'date-time' || typeof schema.pattern === 'string';
}

function isIdOfRecord(place: Place): boolean {
	const [name, ...below] = inRecord(place);
	const isId = below.length === 0 && ['id', 'inventoryId'].includes(String(name));
	return isId && typeof place.value === 'string' && place.schema.format === undefined;
}

function hasNoBounds({ schema: { minimum, maximum, enum: values } }: Place): boolean {
	return minimum === undefined && maximum === undefined && values === undefined;
}

function put({ holder, key }: Place, value: unknown): void {
	Object.assign(holder, { [key]: value });
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
