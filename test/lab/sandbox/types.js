// @ts-check

/**
 * @typedef {'leads' | 'products' | 'inventory'} Integration
 */

/**
 * What a test says about a client; everything but the first three has a default.
 *
 * @typedef {object} ClientSettings
 * @property {Integration} integration
 * @property {string} clientId
 * @property {string} clientSecret
 * @property {string} [audience] leads only; default: the leads base address
 * @property {string} [scope] products only; default: `api/api_access`
 * @property {number} [tokenLifetime] seconds a token is good for; default 3600
 * @property {unknown} [expiresIn] what is answered as `expires_in` instead of the lifetime; present but undefined: left out
 * @property {string[]} [branches] ids that a leads client may filter by; more than one id in all makes the filter compulsory
 * @property {string[]} [brands]
 * @property {string[]} [companies]
 * @property {string[]} [groups]
 * @property {string[]} [agencyRefs] inventory only: the agencies that the client may ask for
 * @property {boolean} [permitted] false: a real 403 whatever the token
 * @property {401 | 403} [rejectTokenWith] the answer to an expired or revoked token of this client
 */

/**
 * @typedef {ClientSettings & {
 *   audience: string, scope: string, tokenLifetime: number, branches: string[], brands: string[],
 *   companies: string[], groups: string[], agencyRefs: string[], permitted: boolean, revoked: boolean,
 * }} Client
 */

/**
 * One request, read to its end.
 *
 * @typedef {object} Call
 * @property {string} method
 * @property {string} path the pathname
 * @property {string} search the query with its question mark, or ''
 * @property {URLSearchParams} query
 * @property {import('node:http').IncomingHttpHeaders} headers
 * @property {string} body
 * @property {boolean} bodyTooLarge
 */

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {Record<string, string>} [headers]
 * @property {string | Iterable<string>} body an iterable is streamed
 * @property {number} [tokenIndex] of the token that the answer gives out
 * @property {boolean} [isOdd] whether a test asked for an answer that breaks the contract
 */

/**
 * One of the areas of the service, as the routing sees it.
 *
 * @typedef {object} Area
 * @property {string} base the path that all its requests start with
 * @property {'token' | 'data'} counts
 * @property {(call: Call) => Integration | undefined} api whose contract holds for the request
 * @property {Integration | 'token'} [integration] none: nobody's
 * @property {(path: string) => string | undefined} template the path with ids replaced, for counting; undefined: no such path
 * @property {(call: Call) => Caller} identify who asks, as far as the request says so
 * @property {(call: Call) => Answer} handle
 * @property {(status: number, message: string) => Answer} refuse an error in the shape of this area
 */

/**
 * @typedef {object} Caller
 * @property {string | null} clientId
 * @property {number | null} tokenIndex
 */

module.exports = {};
