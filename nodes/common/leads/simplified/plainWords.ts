import { plainValue } from '../../../../service/basics/values';

/** More values than any of the service's lists has. */
const MOST_KNOWN = 40;

const CODED = /^[A-Z0-9]+(?:_[A-Z0-9]+)*$/;

/** A value of one of the service's lists, as it is and in plain words; both null if it is not set. */
export interface ListValue {
	value: ReturnType<typeof plainValue>;
	words: string | null;
}

/**
 * Says a value of one of the service's lists in plain words: `ENQUIRY_TYPE_SALES` is “Sales”. The same value is the
 * same text for all leads: each answer brings it anew with every lead, which all the leads together need not hold.
 *
 * @param prefix with which the values of this list begin; one that begins otherwise is shown as it is
 */
export function plainWords(prefix: RegExp): (value: unknown) => ListValue {
	// Looked through one by one: a Map would have to hash every one of the texts.
	const known: ListValue[] = [];
	return (value) => {
		if (typeof value !== 'string') return { value: plainValue(value), words: null };
		for (const each of known) if (each.value === value) return each;
		const listed = { value, words: inPlainWords(value, prefix) };
		if (known.length < MOST_KNOWN) known.push(listed);
		return listed;
	};
}

function inPlainWords(value: string, prefix: RegExp): string | null {
	const word = value.replace(prefix, '');
	if (word === 'UNSPECIFIED' || word === '') return null;
	const isOfList = word !== value && CODED.test(word);
	return isOfList ? word.charAt(0) + word.slice(1).toLowerCase().replaceAll('_', ' ') : value;
}
