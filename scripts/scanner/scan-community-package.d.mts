// The scanner has no types of its own; these are for what scan.mjs uses of it.
import type { Linter } from 'eslint';

export const SOURCE_FILE_PATTERNS: string[];
export function buildScanConfig(): Promise<Linter.Config[]>;
export function analyzePackage(
	packageDir: string,
	filePatterns: string[],
): Promise<{ passed: boolean; message?: string }>;
