/** The paths of the areas, on one port. Each differs, so that a client that drops one meets a 404. */
export const BASES = {
	auth: '/auth',
	token: '/identity/connect/token',
	leads: '/leads-api',
	inventory: '/inventory-api',
	products: '/products-api',
};
