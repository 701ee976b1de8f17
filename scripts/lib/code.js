// @ts-check
const { n8n } = require('../../package.json');

/** All of our code in one script, which n8n loads in half the time that 70 take. */
const CODE = 'dist/lib/index.js';

/** The files that package.json promises n8n: each a node or a credential. */
const promised = [...n8n.credentials, ...n8n.nodes];

module.exports = { CODE, promised };
