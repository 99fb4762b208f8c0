/** The address of the JSON Schema of the export: a file in `public`. */
export const EXPORT_SCHEMA_PATH = '/account-export.schema.json';
