// @ts-check

/** @typedef {import('./types').Answer} Answer */
/** @typedef {import('./types').Call} Call */
/** @typedef {import('./types').Integration} Integration */
/** @typedef {import('./random').Random} Random */
/** @typedef {'allowed' | 'misbehaving'} Strength */

/**
 * An answer while it grows wild.
 *
 * @typedef {object} Reply
 * @property {number} status
 * @property {Record<string, string>} headers
 * @property {unknown} value of the JSON body
 * @property {string} [text] a body that is no JSON, instead of the value
 * @property {'whole' | 'drip' | 'truncated' | 'reset'} wire how it travels
 * @property {number | null} dateOffset of the Date header, in milliseconds; null: there is none
 */

/**
 * One request, as far as it matters to what may happen to it.
 *
 * @typedef {object} Situation
 * @property {Integration | 'token'} integration
 * @property {string} method
 * @property {string} path below the base address
 * @property {string} template the path below the base address, with names in braces for ids
 * @property {Call} call
 * @property {string | null} clientId
 * @property {Random} random
 * @property {Parts} service
 * @property {Record<string, unknown>} [schema] of the tame body
 */

/**
 * @typedef {object} Parts
 * @property {import('./leads').Leads} leads
 * @property {import('./tokens').Tokens} tokens
 */

/**
 * What the service may do to its answer. `apply` returns the changed reply, or undefined if it does not fit.
 *
 * @typedef {object} Wildness
 * @property {string} name
 * @property {Strength} strength allowed: the answer stays valid by the contract
 * @property {boolean} [isBefore] the service answers so instead of doing the work
 * @property {boolean} [breaks] a right client cannot read an answer in this
 * @property {boolean} [isDoubtful] a right client may take the answer, or may refuse it
 * @property {boolean} [hidesIds] records can no longer be told by their ids
 * @property {(reply: Reply, situation: Situation) => Reply | undefined} apply
 */

module.exports = {};
