import { ServiceError } from '../failure';
import type { Attempt } from './attempt';
import { mayBeTakenAt } from './attempt';
import { mayBeOrdered } from './orderAnswer';

/** What people read of an order that failed, or of which nobody knows what became. */

const NOT_TWICE = 'the node checks first, and does not order again what the service shows.';

/** What is known of the credit: the service nowhere says what an order costs. */
export function creditNote(attempt: Attempt, isUnknown: boolean): string {
	if (isUnknown || mayBeTakenAt(attempt) !== undefined) return 'A credit may have been spent.';
	if (!attempt.isSent) return 'No order was sent, so no credit was spent.';
	return 'The service did not accept the order. It does not report credits: if in doubt, ask the operator of the service.';
}

/** The listing could not be looked at before anything was ordered. */
export function notChecked(error: ServiceError): ServiceError {
	return error.with(
		`Nothing was ordered, because the listing could not be checked first: ${error.message}`,
		{ helpCode: 'orderNotSent' },
	);
}

/** It had to wait for its turn for so long that somebody else may have ordered since the look. */
export function heldUp(): ServiceError {
	return new ServiceError('busy', 'The order had to wait too long for its turn', {
		requestKind: 'data',
		isUnsent: true,
		hadNoTurn: true,
	});
}

export function othersTakeLong({ sentAt }: Attempt): ServiceError {
	const failure = new ServiceError('busy', 'Another run is still ordering this listing', {
		isUnsent: true,
		remedy: 'Run the workflow again once that run has ended.',
		helpCode: sentAt === undefined ? 'orderNotSent' : 'orderUnknown',
	});
	return failure.afterTries(0, 0);
}

/** The look for what a POST has made failed as well. */
export function notAnswered(error: ServiceError): ServiceError {
	return error.with(inDoubt(error), {
		helpCode: 'orderUnknown',
		remedy:
			error.kind === 'foreign'
				? `Check the Products URL in the credential, then run the workflow again: ${NOT_TWICE}`
				: `Run the workflow again once the service answers: ${NOT_TWICE}`,
	});
}

/** A look shows nothing of a POST whose answer did not come, or not yet. */
export function notShown(error: ServiceError): ServiceError {
	if (!mayBeOrdered(error)) return error;
	const where = error.kind === 'foreign' ? 'Check the Products URL in the credential. ' : '';
	return error.with(inDoubt(error), {
		remedy: `${where}The service shows no activation of the listing so far. Run the workflow again in a few minutes: ${NOT_TWICE}`,
		helpCode: 'orderUnknown',
	});
}

export function sentByOther(): ServiceError {
	return new ServiceError('missing', inDoubt(new Error('it was sent with another credential')), {
		remedy: `Check with Get Many and that credential, or run the workflow with it again: ${NOT_TWICE}`,
		helpCode: 'orderUnknown',
	});
}

/** What an order by the listing’s other ID has made need not be shown to this client. */
export function anotherSent(): ServiceError {
	const why = new Error(
		'an order that may have been for this listing was sent with another credential',
	);
	return new ServiceError('missing', inDoubt(why), {
		remedy: `Check with Get Many and that credential, then run the workflow again: ${NOT_TWICE}`,
		helpCode: 'orderUnknown',
	});
}

/** A list shows a failure that another order of the run may have made, which named the listing by its other ID. */
export function perhapsFailed(): ServiceError {
	const failure = new Error(
		'an order of this run, which may have been for this listing, may have failed',
	);
	return new ServiceError('failed', inDoubt(failure), {
		remedy:
			'Ask the operator of the service before you run the workflow again: what has failed is then ordered again.',
		helpCode: 'orderUnknown',
	});
}

/** An error of n8n itself, such as one of its database, says nothing of the credit. */
export function stoppedInDoubt(error: Error): ServiceError {
	return new ServiceError('unavailable', inDoubt(error), {
		remedy: `Run the workflow again in a few minutes: ${NOT_TWICE}`,
		helpCode: 'orderUnknown',
	});
}

export function leadsNowhere(): ServiceError {
	return new ServiceError('foreign', 'The order was redirected, but not to an activation (303)', {
		status: 303,
		remedy: 'Check with Get Many what the listing has, and the Products URL in the credential.',
		helpCode: 'orderUnknown',
	});
}

export function unclearListing(): ServiceError {
	return new ServiceError('foreign', 'The service shows activations of other listings as well', {
		remedy:
			'Nothing shows which of them belong to this listing. Use the portal listing ID, and tell the operator of the service.',
	});
}

function inDoubt({ message }: Error): string {
	return `It is not known whether it was activated: ${message}`;
}
