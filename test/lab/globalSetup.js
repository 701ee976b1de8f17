// @ts-check
const { bundleOpenpgp } = require('../../vendor/bundle');

/** Where jest.config.js has the tests look for the bundle. */
const BUNDLE = '.tmp/jest/openpgp.js';

module.exports = async () => await bundleOpenpgp(BUNDLE);
