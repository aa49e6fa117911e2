import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Base64;

final class Run {
    public static void main(String[] args) throws IOException {
        var decoder = Base64.getDecoder();
        var input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line; (line = input.readLine()) != null; ) {
            String[] fields = line.split("\t");
            String header = new String(decoder.decode(fields[1]), UTF_8);
            byte[] body = decoder.decode(fields[2]);
            System.out.println(WebhookSignature.verify(fields[0], header, body, Long.parseLong(fields[3])));
        }
    }
}
