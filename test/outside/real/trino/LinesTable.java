import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linkedin.coral.hive.hive2rel.parsetree.parser.ASTNode;
import com.linkedin.coral.hive.hive2rel.parsetree.parser.Node;
import com.linkedin.coral.hive.hive2rel.parsetree.parser.ParseDriver;
import io.airlift.slice.Slices;
import io.trino.plugin.hive.HiveType;
import io.trino.plugin.hive.metastore.Column;
import io.trino.plugin.hive.metastore.Partition;
import io.trino.plugin.hive.metastore.StorageFormat;
import io.trino.plugin.hive.metastore.Table;
import io.trino.plugin.hive.projection.PartitionProjection;
import io.trino.plugin.hive.projection.PartitionProjectionProperties;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.VarcharType;
import io.trino.type.InternalTypeManager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Parses `create external table` with Hive's grammar, which Athena uses, and computes its partitions as Trino does. The statement comes on
 * standard input, the arguments name a partition key and one of its values. Prints the number of all partitions, and the location of that one.
 */
public class LinesTable {
  public static void main(String[] arguments) throws Exception {
    ASTNode statement = new ParseDriver().parse(new String(System.in.readAllBytes(), "UTF-8"));
    Map<String, String> properties = new HashMap<>();
    for (ASTNode property : found(statement, "TOK_TABLEPROPERTY")) properties.put(text(property, 0), text(property, 1));
    List<ASTNode> lists = found(statement, "TOK_TABCOLLIST");
    Table table = Table.builder()
        .setDatabaseName("database")
        .setTableName(text(found(statement, "TOK_TABNAME").get(0), 0))
        .setTableType("EXTERNAL_TABLE")
        .setOwner(Optional.empty())
        .setDataColumns(columns(lists.get(0)))
        .setPartitionColumns(columns(lists.get(1)))
        .setParameters(properties)
        .withStorage(storage -> storage
            .setLocation(text(found(statement, "TOK_TABLELOCATION").get(0), 0))
            .setStorageFormat(StorageFormat.create(text(found(statement, "TOK_SERDENAME").get(0), 0), "", "")))
        .build();

    PartitionProjection projection =
        PartitionProjectionProperties.getPartitionProjectionFromTable(table, InternalTypeManager.TESTING_TYPE_MANAGER).get();
    List<String> keys = table.getPartitionColumns().stream().map(Column::getName).toList();
    int all = projection.getProjectedPartitionNamesByFilter(keys, TupleDomain.all()).get().size();
    Domain value = Domain.singleValue(VarcharType.VARCHAR, Slices.utf8Slice(arguments[1]));
    List<String> names =
        projection.getProjectedPartitionNamesByFilter(keys, TupleDomain.withColumnDomains(Map.of(arguments[0], value))).get();
    Partition partition = projection.getProjectedPartitionsByNames(table, names).values().iterator().next().get();

    ObjectNode answer = new ObjectMapper().createObjectNode();
    answer.put("partitions", all);
    answer.put("location", partition.getStorage().getLocation());
    System.out.println(answer);
  }

  /** Nodes of this kind, in the order of the statement. */
  private static List<ASTNode> found(ASTNode node, String kind) {
    List<ASTNode> nodes = new ArrayList<>();
    if (kind.equals(node.getText())) nodes.add(node);
    if (node.getChildren() == null) return nodes;
    for (Node child : node.getChildren()) nodes.addAll(found((ASTNode) child, kind));
    return nodes;
  }

  /** The child at this place, without quotes. */
  private static String text(ASTNode node, int place) {
    return ((ASTNode) node.getChild(place)).getText().replaceAll("^'|'$", "");
  }

  private static List<Column> columns(ASTNode list) {
    return found(list, "TOK_TABCOL").stream()
        .map(column -> new Column(text(column, 0), HiveType.HIVE_STRING, Optional.empty(), Map.of()))
        .toList();
  }
}
