import type { FailureDetails, NotFound } from '../failure';
import { ServiceError } from '../failure';

/** An ID has no page of its own: a 404 with a web page means that the address is wrong. */
const NO_PROPERTY: readonly NotFound[] = ['problem', 'bare', 'other'];

/** Whether a failure is a 404 in one of these forms. */
export function isNotFound({ details }: ServiceError, forms: readonly NotFound[]): boolean {
	return forms.some((form) => form === details.notFound);
}

/** An ID that a batch surely does not have, or that alone is answered with 404. */
export function unknownProperty(id: string, details: FailureDetails = {}): ServiceError {
	return new ServiceError('missing', 'The service found no such property (404)', {
		status: 404,
		...details,
		remedy: `You asked for the ID ${JSON.stringify(id)}. Check it, and that the property belongs to the agency of the AgencyRef. A property’s reference is rarely its ID: search for its address to find the ID.`,
		// A 404 may have had that of a wrong address.
		helpCode: undefined,
	});
}

/** A failed request for a property: a 404 says that there is none. */
export function asUnknownProperty(failure: ServiceError, id: string): ServiceError {
	return isNotFound(failure, NO_PROPERTY) ? unknownProperty(id, failure.details) : failure;
}
