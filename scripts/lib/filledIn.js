// @ts-check

/** The fields that a person has to fill in before n8n publishes an example, and what `npm start` and the tests enter. */
const FILLED = { fromEmail: 'leads@example.com', toEmail: 'office@example.com' };
const OFFICE = 'office@example.com';

/**
 * The parameters of an example's node, with what a person fills in.
 *
 * @param {import('n8n-workflow').INodeParameters} parameters
 * @param {string} [url] of what records are sent to; without it an address stays empty
 * @returns {import('n8n-workflow').INodeParameters}
 */
function filledIn(parameters, url = '') {
	const known = Object.entries({ ...FILLED, url });
	const text = JSON.stringify(parameters).replace(
		'"name":"office","value":""',
		`"name":"office","value":"${OFFICE}"`,
	);
	return {
		...JSON.parse(text),
		...Object.fromEntries(known.filter(([name]) => parameters[name] === '')),
	};
}

module.exports = { filledIn };
