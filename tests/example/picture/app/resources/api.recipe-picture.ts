/** The picture of a recipe, for signed-in visitors. */
import type { LoaderFunctionArgs } from '@remix-run/node';
import { refusalOfError } from '../forms/form-action.server.ts';
import { statusOfRefusal } from '../forms/form-outcome.ts';
import { pictureType } from '../forms/picture.server.ts';
import { callDataApi } from '../forms/record-form.server.ts';
import { GET_RECIPE_PICTURE } from '../graphql/recipe-picture.graphql.generated.ts';

export async function loader(args: LoaderFunctionArgs): Promise<Response> {
  try {
    const variables = { id: args.params.id ?? '' };
    const { getRecipe } = await callDataApi({ ...GET_RECIPE_PICTURE, variables }, args);
    const bytes = Buffer.from(getRecipe?.picture ?? '', 'base64');
    const type = pictureType(bytes);
    if (type === null) return new Response(null, { status: 404 });
    const headers = {
      'content-type': type,
      'cache-control': 'private, no-cache',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    };
    return new Response(bytes, { headers });
  } catch (error) {
    if (error instanceof Response) throw error;
    return new Response(null, { status: statusOfRefusal(refusalOfError(error, args.context).code) });
  }
}
