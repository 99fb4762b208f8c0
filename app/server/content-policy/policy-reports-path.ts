/** Where browsers report violations of the policy of a document. */
export const POLICY_REPORTS_PATH = '/csp-reports';
