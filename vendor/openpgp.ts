/**
 * What the package uses of OpenPGP.js. The build replaces this file's JavaScript by a bundle of the
 * library (see bundle.js), since an n8n package brings no dependencies along.
 */
export { decrypt, decryptKey, readMessage, readPrivateKeys } from 'openpgp';
export type { KeyID, Message, PrivateKey } from 'openpgp';
