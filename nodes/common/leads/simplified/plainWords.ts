const CODED = /^[A-Z0-9]+(?:_[A-Z0-9]+)*$/;

/**
 * A value of one of the service's lists in plain words: `ENQUIRY_TYPE_SALES` is “Sales”.
 *
 * @param prefix with which the values of this list begin; one that begins otherwise is shown as it is
 * @returns null if it is not set
 */
export function plainWords(prefix: RegExp, value: unknown): string | null {
	if (typeof value !== 'string') return null;
	const word = value.replace(prefix, '');
	if (word === 'UNSPECIFIED' || word === '') return null;
	const isOfList = word !== value && CODED.test(word);
	return isOfList ? word.charAt(0) + word.slice(1).toLowerCase().replaceAll('_', ' ') : value;
}
