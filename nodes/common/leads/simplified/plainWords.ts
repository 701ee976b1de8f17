/** More values than any of the service's lists has. */
const MOST_KNOWN = 40;

const CODED = /^[A-Z0-9]+(?:_[A-Z0-9]+)*$/;

/**
 * Says a value of one of the service's lists in plain words: `ENQUIRY_TYPE_SALES` is “Sales”.
 *
 * @param prefix with which the values of this list begin; one that begins otherwise is shown as it is
 * @returns null for a value that is not set
 */
export function plainWords(prefix: RegExp): (value: unknown) => string | null {
	// Looked through one by one: each answer brings its texts anew, and a Map would have to hash every one of them.
	const known: Array<{ value: string; words: string | null }> = [];
	return (value) => {
		if (typeof value !== 'string') return null;
		for (const each of known) if (each.value === value) return each.words;
		const words = inPlainWords(value, prefix);
		if (known.length < MOST_KNOWN) known.push({ value, words });
		return words;
	};
}

function inPlainWords(value: string, prefix: RegExp): string | null {
	const word = value.replace(prefix, '');
	if (word === 'UNSPECIFIED' || word === '') return null;
	const isOfList = word !== value && CODED.test(word);
	return isOfList ? word.charAt(0) + word.slice(1).toLowerCase().replaceAll('_', ' ') : value;
}
