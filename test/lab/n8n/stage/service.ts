import type { Sandbox } from '../../sandbox';
import { AGENCY_REFS } from '../../sandbox/inventory';

export type Client = Sandbox['leadsClient'];
export type ClientSettings = Parameters<Sandbox['addClient']>[0];
export type Fault = Parameters<Sandbox['faults']['add']>[0];
export type LoggedRequest = Sandbox['requests'][number];

export const TOKEN_PATH = '/auth/oauth2/token';
export const APPLICANTS_PATH = '/leads-api/applicant-leads';
export const APPRAISALS_PATH = '/leads-api/appraisal-leads';
export const INVENTORY_TOKEN_PATH = '/identity/connect/token';
export const PREMIUM_PATH = '/products-api/products/premium-listings';

/** The agency of an inventory credential, unless a test says otherwise. */
export const [AGENCY] = AGENCY_REFS;
