import { isRecord } from '../../values';
import type { Random } from '../random';
import { chance, integer, pick, shuffled } from '../random';
import type { Place } from './places';
import { hasType, places } from './places';
import type { Situation, Wildness } from './situation';

/** The fields by which a client knows records, pages and results. Only wildness that is named after them changes them. */
const KEPT = [
	'id',
	'inventoryId',
	'listingId',
	'createdAt',
	'expiryAt',
	'startAt',
	'status',
	'highlights',
	'customDetails',
];
export const LISTS = ['applicants', 'appraisals', 'items'];
const UNSET_TIME = '0001-01-01T00:00Z';

const ODD_TEXTS = [
	'<b>bold</b>\r\n<script>x()</script>',
	'é ü ß 漢 🏠 \u202e',
	'null',
	'true',
	'{{ $json.id }}',
	'\u0000\u0007',
	' ',
	'x'.repeat(2000),
	'__proto__',
];

/** @returns the path from the top of the record */
function inRecord({ path }: Place): Place['path'] {
	const below = LISTS.includes(String(path[0])) ? path.slice(1) : path;
	return typeof below[0] === 'number' ? below.slice(1) : below;
}

function isKept(place: Place): boolean {
	const [first, ...rest] = inRecord(place);
	if (first === undefined || LISTS.includes(String(first))) return true;
	if (place.path[0] === 'meta' || first === 'totalCount') return true;
	return KEPT.includes(String(first)) && (rest.length === 0 || first !== 'createdAt');
}

function isOpen({ schema }: Place): boolean {
	return schema.additionalProperties === undefined;
}

function isText(place: Place): boolean {
	const { format, pattern, enum: values } = place.schema;
	return typeof place.value === 'string' && !format && !pattern && !values;
}

function isTime({ value, schema }: Place): boolean {
	if (typeof value !== 'string' || Number.isNaN(Date.parse(value))) return false;
	return schema.format === 'date-time' || typeof schema.pattern === 'string';
}

function put({ holder, key }: Place, value: unknown): void {
	Object.assign(holder, { [key]: value });
}

/** A wildness of single values: it changes some of those that fit. */
function ofValues(
	name: string,
	fits: (place: Place, situation: Situation) => boolean,
	change: (place: Place, random: Random, situation: Situation) => void,
	more: Partial<Wildness> = {},
): Wildness {
	return {
		name,
		strength: 'allowed',
		...more,
		apply(reply, situation) {
			const { integration, schema, random } = situation;
			if (integration === 'token' || schema === undefined) return undefined;
			const found = [...places(integration, schema, reply.value)];
			const fitting = found.filter((place) => fits(place, situation));
			if (fitting.length === 0) return undefined;
			const share = pick(random, [0.05, 0.3, 1]);
			const sure = pick(random, fitting);
			for (const place of fitting) {
				if (place === sure || chance(random, share)) change(place, random, situation);
			}
			return reply;
		},
	};
}

/** The same time in another form, perhaps cut down to its minute. */
function otherForm(time: string, random: Random, takesMinutes: boolean): string {
	const at = Date.parse(time);
	const hours = integer(random, -11, 13);
	const there = new Date(at + hours * 3_600_000).toISOString().slice(0, 19);
	const sign = hours < 0 ? '-' : '+';
	const zone = `${sign}${String(Math.abs(hours)).padStart(2, '0')}:00`;
	const digits = String(integer(random, 0, 999_999_999)).padStart(9, '0');
	const fraction = `.${digits.slice(0, pick(random, [1, 3, 6, 9]))}`;
	const utc = new Date(at).toISOString().slice(0, 19);
	const forms = [`${there}${zone}`, `${utc}${fraction}Z`, `${there}${fraction}${zone}`];
	if (takesMinutes) forms.push(`${utc.slice(0, 16)}Z`, `${there.slice(0, 16)}${zone}`);
	return pick(random, forms);
}

function extraMember(random: Random) {
	const name = pick(random, ['newField', 'constructor', 'leadType', 'error', 'x-new', 'toString']);
	const value = pick(random, ['new', 7, null, true, [], {}, [{ deep: [null] }]]);
	return { [`${name}${integer(random, 0, 9)}`]: value };
}

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
		(place) => isRecord(place.value) && isOpen(place) && inRecord(place)[0] !== 'customDetails',
		({ value }, random) => void (isRecord(value) && Object.assign(value, extraMember(random))),
	),
	ofValues(
		'unknownValues',
		(place) => place.schema['x-open'] === true && !isKept(place) && typeof place.value === 'string',
		(place, random) => {
			const { 'x-prefix': known } = place.schema;
			const prefix = typeof known === 'string' ? known : '';
			put(place, `${prefix}NEW_${integer(random, 1, 99)}`);
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
	ofValues(
		'emptyTexts',
		(place) => isText(place) && !isKept(place),
		(place) => put(place, ''),
	),
	ofValues(
		'oddTexts',
		(place) => isText(place) && !isKept(place),
		(place, random) => put(place, pick(random, ODD_TEXTS)),
	),
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
		'memberOrder',
		({ value }) => isRecord(value),
		({ value }, random) => {
			if (!isRecord(value)) return;
			for (const [name, field] of shuffled(random, Object.entries(value))) {
				delete value[name];
				value[name] = field;
			}
		},
	),
	ofValues(
		'noId',
		(place) => isIdOfRecord(place) && !place.isRequired,
		(place, random) => {
			const canBeNull = hasType(place.schema, 'null');
			const way = pick(random, ['', canBeNull ? null : '', undefined]);
			if (way === undefined) Reflect.deleteProperty(place.holder, place.key);
			else put(place, way);
		},
	),
];

function isIdOfRecord(place: Place): boolean {
	const path = inRecord(place);
	return (
		path.length === 1 &&
		['id', 'inventoryId'].includes(String(path[0])) &&
		typeof place.value === 'string' &&
		place.schema.format === undefined
	);
}

function hasNoBounds({ schema: { minimum, maximum, enum: values } }: Place): boolean {
	return minimum === undefined && maximum === undefined && values === undefined;
}
