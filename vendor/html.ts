import { decodeHTMLStrict } from 'entities/decode';
import { htmlTagNames } from 'html-tag-names';
import Tokenizer from 'htmlparser2/dist/commonjs/Tokenizer';

/**
 * What the package uses of three libraries for HTML. The build replaces this file's JavaScript by a bundle of them (see
 * bundle.js), which is loaded when this function is called first.
 */
export default function html() {
	return { decodeHTMLStrict, htmlTagNames, Tokenizer };
}
