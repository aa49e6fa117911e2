import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Appends each event to a file. */
final class Store {
    static synchronized void store(byte[] body) throws IOException {
        var file = Path.of("stored");
        Files.write(file, body, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        Files.writeString(file, "\n", StandardOpenOption.APPEND);
    }
}
