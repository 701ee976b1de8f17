import { remembered } from '../../../../service/basics/remembered';

/** More than the words of any of the service's lists. */
const MOST_WORDS = 500;

const CODED = /^[A-Z0-9]+(?:_[A-Z0-9]+)*$/;

/**
 * Says a value of one of the service's lists in plain words: `ENQUIRY_TYPE_SALES` is “Sales”.
 *
 * @param prefix with which the values of this list begin; one that begins otherwise is shown as it is
 * @returns null for a value that is not set
 */
export function plainWords(prefix: RegExp): (value: unknown) => string | null {
	const wordsOf = remembered(MOST_WORDS, (value: string) => {
		const word = value.replace(prefix, '');
		if (word === 'UNSPECIFIED' || word === '') return null;
		const isOfList = word !== value && CODED.test(word);
		return isOfList ? word.charAt(0) + word.slice(1).toLowerCase().replaceAll('_', ' ') : value;
	});
	return (value) => (typeof value === 'string' ? wordsOf(value) : null);
}
