/** Whether someone looks at what a request brings, or a script reads it. */

/** Browsers say what a request is for (Fetch Metadata); what says nothing, a crawler or curl, asks for the document. */
export function isForDocument(request: Pick<Request, 'headers'>): boolean {
  return (request.headers.get('sec-fetch-dest') ?? 'document') === 'document';
}
