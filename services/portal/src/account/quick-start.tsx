import { htmlPage, type PageAnswer, type PageDeps } from "../page/page.js";
import { Guide } from "../page/text.js";

/** `GET /developers/quick-start`: the guide, in the frame of the developer area. */
export async function showQuickStart(deps: PageDeps): Promise<PageAnswer> {
  return htmlPage("Quick start", <Guide html={deps.guide("quick-start")} />);
}
