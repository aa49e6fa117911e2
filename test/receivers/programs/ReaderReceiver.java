import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import org.apache.catalina.startup.Tomcat;

/** Serves a servlet that reads the body as text, in the encoding that the request names or else in Latin-1. */
public class ReaderReceiver {
    public static void main(String[] args) throws Exception {
        var tomcat = new Tomcat();
        tomcat.setBaseDir(Path.of("tomcat").toAbsolutePath().toString());
        tomcat.setPort(Integer.parseInt(System.getenv("PORT")));
        var context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "webhooks", new Receiver());
        context.addServletMappingDecoded("/webhooks", "webhooks");
        tomcat.getConnector();
        tomcat.start();
        tomcat.getServer().await();
    }

    private static final class Receiver extends HttpServlet {
        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            var text = new StringWriter();
            request.getReader().transferTo(text);
            byte[] body = text.toString().getBytes(UTF_8);
            String secret = System.getenv("WEBHOOK_SECRET");
            String signature = request.getHeader("Service-Signature");
            boolean isValid = WebhookSignature.verify(secret, signature, body, Instant.now().getEpochSecond());
            if (isValid) {
                Store.store(body);
            }
            response.setStatus(isValid ? 204 : 400);
        }
    }
}
