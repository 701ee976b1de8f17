/** The labels of the node's fields that messages mention. */
export const LABELS = {
	listingIdType: 'Listing ID Type',
	listingId: 'Listing ID',
	portalListingId: 'Portal Listing ID',
	yourListingId: 'Your Listing ID',
	highlights: 'Highlights',
	highlightId: 'Highlight ID',
	highlightDescription: 'Highlight Description',
	customDetails: 'Custom Details',
} as const;
