import type { Door, Values } from './http';
import { call } from './http';

const LISTS = { applicant: 'listApplicantLeads', appraisal: 'listAppraisalLeads' };

export type LeadKind = keyof typeof LISTS;
export type LeadQuestion = Values;

/** The leads of one kind; there are no pages. */
export const listLeads = (door: Door, kind: LeadKind, question?: LeadQuestion) =>
	call(door, LISTS[kind], question);
