/** Name of the form field, and of the query's parameter, that says which page to come back to. */
export const RETURN_TO = 'returnTo';
