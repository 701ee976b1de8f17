/** What n8n's log is told beside failures, for people. */

/** Enough to know an agency by: more people may read the log than know the AgencyRef. */
const TITLE_LENGTH = 8;

/** For people: “Properties of agency 6f1d2c3b…”. */
export function agencyTitle(agencyRef: string): string {
	return `Properties of agency ${agencyRef.slice(0, TITLE_LENGTH)}…`;
}

/** @param title such as “Properties of agency 6f1d2c3b…” */
export function baselineNotice(title: string, count: number): string {
	return `${title}: ${count} have been read so far. Each property has to be read once, which takes several polls. Until then, only changes to those already read are found.`;
}

export function baselineWholeNotice(title: string, count: number): string {
	return `${title}: all ${count} have been read. From now on, each change is found.`;
}
